/* Writes down which driver functions a process looks up, and in which file lies what it is given.
 * Preloaded before the recorder, it stands between the libraries and whatever answers them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void* (*Dlsym)(void*, const char*);
typedef int (*GetProc)(const char*, void**, int, uint64_t);
typedef int (*GetProc2)(const char*, void**, int, uint64_t, int*);

static GetProc next_get_proc;
static GetProc2 next_get_proc_2;

static const char* file_of(const void* address) {
  Dl_info info;
  if (address == NULL) return "-";
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return "?";
  const char* slash = strrchr(info.dli_fname, '/');
  return slash != NULL ? slash + 1 : info.dli_fname;
}

static void write_down(const char* door, const char* name, int version, uint64_t flags,
                       const void* given, const void* caller) {
  const char* path = getenv("LOOKUPS");
  FILE* file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s\t%s\t%d\t%d\t%s\t%s\n", door, name, version, (int)flags, file_of(given),
          file_of(caller));
  fclose(file);
}

static int get_proc(const char* name, void** out, int version, uint64_t flags);
static int get_proc_2(const char* name, void** out, int version, uint64_t flags, int* status);

/* In the place of a look-up function that was looked up: ours, with the genuine one behind it. */
static void* stand_in(const char* name, int version, void* genuine) {
  if (genuine == NULL) return NULL;
  if (strcmp(name, "cuGetProcAddress_v2") == 0 ||
      (strcmp(name, "cuGetProcAddress") == 0 && version >= 12000)) {
    next_get_proc_2 = (GetProc2)genuine;
    return (void*)get_proc_2;
  }
  if (strcmp(name, "cuGetProcAddress") == 0) {
    next_get_proc = (GetProc)genuine;
    return (void*)get_proc;
  }
  return genuine;
}

static int get_proc(const char* name, void** out, int version, uint64_t flags) {
  const int result = next_get_proc(name, out, version, flags);
  if (name[0] != '\0' && out != NULL) {
    void* given = result == 0 ? *out : NULL;
    write_down("get_proc", name, version, flags, given, __builtin_return_address(0));
    if (result == 0) *out = stand_in(name, version, *out);
  }
  return result;
}

static int get_proc_2(const char* name, void** out, int version, uint64_t flags, int* status) {
  const int result = next_get_proc_2(name, out, version, flags, status);
  if (name[0] != '\0' && out != NULL) {
    void* given = result == 0 ? *out : NULL;
    write_down("get_proc", name, version, flags, given, __builtin_return_address(0));
    if (result == 0) *out = stand_in(name, version, *out);
  }
  return result;
}

void* dlsym(void* handle, const char* name) {
  static Dlsym next;
  if (next == NULL) {
    /* The recorder's where it is preloaded behind us, else libc's. */
    next = (Dlsym)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    void* recorder =
        getenv("LOOKUPS_BEHIND") ? dlopen(getenv("LOOKUPS_BEHIND"), RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (recorder != NULL) next = (Dlsym)next(recorder, "dlsym");
  }
  if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || name[0] != 'c' || name[1] != 'u' ||
      name[2] < 'A' || name[2] > 'Z')
    return next(handle, name); /* a jump, so that it finds its caller */
  void* found = next(handle, name);
  write_down("dlsym", name, 0, 0, found, __builtin_return_address(0));
  return stand_in(name, 0, found);
}
