# Elbrus with MCST's compiler lcc, natively on an Elbrus machine or as a cross compiler whose programs carry a prefix:
#   cmake --preset e2k                               lcc and l++ in PATH
#   E2K_PREFIX=e2k-linux- cmake --preset e2k         e2k-linux-lcc, e2k-linux-l++
#   E2K_MCPU=elbrus-8c2 cmake --preset e2k           another CPU than lcc's default
# docs/testing.md says which parts could be tried and which could not.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR e2k)
set(CMAKE_C_COMPILER $ENV{E2K_PREFIX}lcc)
set(CMAKE_CXX_COMPILER $ENV{E2K_PREFIX}l++)
if(DEFINED ENV{E2K_MCPU})
  set(CMAKE_C_FLAGS_INIT -mcpu=$ENV{E2K_MCPU})
  set(CMAKE_CXX_FLAGS_INIT -mcpu=$ENV{E2K_MCPU})
endif()
