# Joins the texts of the stepper into one string of C++: cmake -DOUT=file.cpp -P embed.cmake HEADER...
# Lines that include or begin with #pragma once are dropped: what is left needs no other file.
set(all "")
math(EXPR last "${CMAKE_ARGC} - 1")
set(found FALSE)
foreach(i RANGE ${last})
  if(found)
    file(READ "${CMAKE_ARGV${i}}" text)
    string(REGEX REPLACE "(^|\n)#include[^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)#pragma once[^\n]*" "\\1" text "${text}")
    string(APPEND all "${text}")
  endif()
  if("${CMAKE_ARGV${i}}" MATCHES "embed.cmake$")
    set(found TRUE)
  endif()
endforeach()
file(WRITE "${OUT}" "#include \"lib/problems/ode_ensemble/codegen/stepper_text.hpp\"

namespace halocline::ode_ensemble {

std::string_view stepper_text() {
  return R\"halocline(${all})halocline\";
}

}  // namespace halocline::ode_ensemble
")
