# berth_fuzzer(NAME csv SOURCES csv.c [ROOMS formats.minimalloc] [LIBS berth ...])
#
# One fuzzer (LLVMFuzzerTestOneInput) a folder of tests/fuzz, with its kept corpus in corpus/ and, if there is one, its
# dictionary in NAME.dict. In the fuzz preset it becomes build/fuzz/fuzzers/NAME, which scripts/fuzz runs; in every other
# build it becomes the test unit.fuzz.NAME, which feeds it the kept corpus once.
function(berth_fuzzer)
  cmake_parse_arguments(FUZZ "" "NAME" "SOURCES;ROOMS;LIBS" ${ARGN})
  set(target fuzz.${FUZZ_NAME})
  add_executable(${target} ${FUZZ_SOURCES})
  foreach(room IN LISTS FUZZ_ROOMS)
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:${room},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests/fuzz")
  target_link_libraries(${target} PRIVATE ${FUZZ_LIBS} berth)
  # libFuzzer's entry points have no prototypes of ours.
  target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
  if(BERTH_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${FUZZ_NAME} RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzzers")
  else()
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests/fuzz/replay.c")
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    add_test(NAME unit.fuzz.${FUZZ_NAME} COMMAND ${target} "${CMAKE_CURRENT_SOURCE_DIR}/corpus")
    set_tests_properties(unit.fuzz.${FUZZ_NAME} PROPERTIES LABELS unit TIMEOUT 120)
  endif()
endfunction()
