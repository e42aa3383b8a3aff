# cmake --install BUILD [--prefix DIR]: program, manual page, completions, decks, job scripts, documentation, Python package.
include(GNUInstallDirs)

# Libraries beside the program are found wherever the folder lies; those of modules and of Spack where they were linked.
file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(halocline PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}" INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS halocline RUNTIME)

set(share ${CMAKE_INSTALL_DATADIR}/halocline)
install(DIRECTORY inputs DESTINATION ${share})
# Decks compare with tables there.
install(DIRECTORY tests/data DESTINATION ${share}/tests FILES_MATCHING PATTERN "*.csv" PATTERN "*.mtx" PATTERN "*.h5")
install(DIRECTORY jobscripts DESTINATION ${share} USE_SOURCE_PERMISSIONS PATTERN modulefile EXCLUDE)
install(DIRECTORY io/python/halocline DESTINATION ${share}/python PATTERN __pycache__ EXCLUDE)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

# From the description of the command line, by the program that has just been installed.
foreach(name man bash zsh)
  set(man_at ${CMAKE_INSTALL_MANDIR}/man1/halocline.1)
  set(bash_at ${CMAKE_INSTALL_DATADIR}/bash-completion/completions/halocline)
  set(zsh_at ${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_halocline)
  install(CODE "
    set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    execute_process(COMMAND \"\${prefix}/${CMAKE_INSTALL_BINDIR}/halocline\" texts ${name} OUTPUT_VARIABLE text
      RESULT_VARIABLE code ERROR_VARIABLE error)
    if(code EQUAL 0)
      message(STATUS \"Installing: \${prefix}/${${name}_at}\")
      file(WRITE \"\${prefix}/${${name}_at}\" \"\${text}\")
    else()
      message(WARNING \"halocline cannot be started here, so ${${name}_at} is left out: \${error}\")
    endif()")
endforeach()

# Names the folder as it is at the end, without DESTDIR.
install(CODE "
  set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
  set(version ${PROJECT_VERSION})
  message(STATUS \"Installing: \$ENV{DESTDIR}\${prefix}/${share}/modulefile\")
  configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/jobscripts/modulefile\" \"\$ENV{DESTDIR}\${prefix}/${share}/modulefile\" @ONLY)")
