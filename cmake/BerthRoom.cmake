# A room is a folder with a purpose: one object library whose headers only the rooms that depend on it can
# include. A header is included as "room/header.h"; that path exists only inside the include directory made
# for the room, so an include across an edge that is not declared here does not compile.
#
#   berth_room(GROUP planner NAME packing SOURCES a.c b.c DEPENDS planner.interference LIBS m)
#
# makes the target planner.packing from the folder it is called in.
function(berth_room)
  cmake_parse_arguments(ROOM "" "GROUP;NAME" "SOURCES;DEPENDS;LIBS" ${ARGN})
  set(target ${ROOM_GROUP}.${ROOM_NAME})
  set(door "${CMAKE_BINARY_DIR}/rooms/${ROOM_GROUP}/${ROOM_NAME}")
  file(MAKE_DIRECTORY "${door}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${door}/${ROOM_NAME}" SYMBOLIC)

  if(ROOM_SOURCES)
    add_library(${target} OBJECT ${ROOM_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${door}")
  target_link_libraries(${target} ${scope} ${ROOM_DEPENDS} ${ROOM_LIBS})
  set_property(GLOBAL APPEND PROPERTY BERTH_ROOMS_${ROOM_GROUP} ${target})
endfunction()
