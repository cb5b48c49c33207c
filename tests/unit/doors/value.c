/* One of several libraries that define the same function; each knows the next one's. */
#include <dlfcn.h>

int door_value(void) {
  return DOOR_VALUE;
}

int door_next_value(void) {
  int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "door_value");
  return next == 0 ? -1 : next();
}
