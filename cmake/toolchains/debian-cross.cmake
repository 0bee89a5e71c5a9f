# Debian's and Ubuntu's cross compilers (packages g++-<arch>-linux-gnu), programs run by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${VSH_TRIPLE_ARCH})
set(triple ${VSH_TRIPLE_ARCH}-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})

# The name differs by release: qemu-user-static has -static, Debian 13's qemu-user has not.
find_program(VSH_QEMU_${VSH_TRIPLE_ARCH} NAMES qemu-${VSH_TRIPLE_ARCH}-static qemu-${VSH_TRIPLE_ARCH})
if(VSH_QEMU_${VSH_TRIPLE_ARCH})
  # In the cache, where tools/skips.sh finds it.
  set(CMAKE_CROSSCOMPILING_EMULATOR ${VSH_QEMU_${VSH_TRIPLE_ARCH}} -L /usr/${triple} CACHE STRING "")
endif()

set(CMAKE_FIND_ROOT_PATH /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
