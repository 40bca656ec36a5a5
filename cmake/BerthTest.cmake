# berth_test(NAME unit.planner.base SOURCES a.c b.c ROOMS planner.base LIBS berth LABELS unit [TIMEOUT 60])
#
# One executable of libcheck tests, run by ctest. ROOMS lends it the rooms' private headers (their objects come with
# the libraries it links); libberth and tests/lib are always linked.
function(berth_test)
  cmake_parse_arguments(TEST "" "NAME;TIMEOUT" "SOURCES;ROOMS;LIBS;LABELS" ${ARGN})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  foreach(room IN LISTS TEST_ROOMS)
    target_include_directories(${TEST_NAME} PRIVATE $<TARGET_PROPERTY:${room},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  target_link_libraries(${TEST_NAME} PRIVATE berth_testlib ${TEST_LIBS} berth)
  set_target_properties(${TEST_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_NAME} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300) # hangs end; how long a test takes is no verdict
  endif()
  set_tests_properties(${TEST_NAME} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

# Adds every subfolder that has a CMakeLists.txt, in order of name, so that a new one needs no edit elsewhere.
function(berth_add_subfolders)
  file(GLOB lists RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(list IN LISTS lists)
    get_filename_component(folder "${list}" DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
