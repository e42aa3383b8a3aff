# Writes OUTPUT, a source with the commit of the sources in SOURCE, or with COMMIT where that is given: archives and
# containers are without git. Run at every build; the file changes only when the commit does.
if(NOT COMMIT)
  find_program(GIT git)
  if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty=+ --exclude=* --abbrev=10
      OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"app/commit.hpp\"

namespace halocline {
const char* commit() { return \"${COMMIT}\"; }
}  // namespace halocline
")
