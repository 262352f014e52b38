# The package rfsup of CMake: find_package(rfsup) finds the program, and defines a function for tests.
#
#   rfsup_add_test(NAME name COMMAND command [arg...] [BUDGET time] [OPTIONS option...])
#
# adds a test that tests the command with rfsup. It fails if something is found, and as the command fails; a command without
# a second thread passes. BUDGET is 1m by default. A target as command is replaced by its file, as add_test() does.

cmake_minimum_required(VERSION 3.15...3.31)

find_program(RFSUP_EXECUTABLE rfsup HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
if(NOT RFSUP_EXECUTABLE)
  set(rfsup_FOUND FALSE)
  set(rfsup_NOT_FOUND_MESSAGE "the program rfsup was not found; set RFSUP_EXECUTABLE")
  return()
endif()

function(rfsup_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;BUDGET" "COMMAND;OPTIONS")
  if(NOT arg_NAME OR NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rfsup_add_test(NAME name COMMAND command [arg...] [BUDGET time] [OPTIONS option...])")
  endif()
  if(NOT arg_BUDGET)
    set(arg_BUDGET 1m)
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${RFSUP_EXECUTABLE} --launcher --quiet --budget ${arg_BUDGET} ${arg_OPTIONS} --
    ${program} ${arg_COMMAND})
endfunction()
