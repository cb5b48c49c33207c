// The smallest of assertions for the smoke programs: says what failed and ends the program.
#pragma once
#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)
