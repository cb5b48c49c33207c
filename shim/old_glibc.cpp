// Functions that glibc before 2.33 lacks, for the recorder alone: hidden, so nothing else meets
// them.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __x86_64__
#error "on this processor struct stat may differ from the kernel's"
#endif

extern "C" {

int stat(const char* path, struct stat* out) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, out, 0));
}
int fstat(int fd, struct stat* out) noexcept {
  return static_cast<int>(syscall(SYS_fstat, fd, out));
}
ssize_t getrandom(void* out, size_t size, unsigned flags) {
  return syscall(SYS_getrandom, out, size, flags);
}

}  // extern "C"
