# bench/published/published.toml becomes a string literal, so that the program carries the published figures with
# it. Included by the build; bench/published.cpp includes the result from the generated folder.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/published/published.toml)
file(READ ${CMAKE_CURRENT_LIST_DIR}/published/published.toml VSH_PUBLISHED_TOML)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/published_toml.inc
  CONTENT "R\"toml(@VSH_PUBLISHED_TOML@)toml\"" @ONLY)
