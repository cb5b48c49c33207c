// Binds functions to the versions that old glibcs have, so that a recorder built with today's loads
// on those since 2.17.
//
// Before 2.34 dlopen and threads were libraries of their own, which not every program loads. Weak
// references leave those programs alone, and a program that uses CUDA has loaded both.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

// A sanitizer's own versions must be met first.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
__asm__(".symver dladdr1, dladdr1@GLIBC_2.3.3");
__asm__(".symver dlclose, dlclose@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlvsym, dlvsym@GLIBC_2.2.5");
__asm__(".symver pthread_attr_setstacksize, pthread_attr_setstacksize@GLIBC_2.2.5");
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_sigmask, pthread_sigmask@GLIBC_2.2.5");
__asm__(".symver pthread_timedjoin_np, pthread_timedjoin_np@GLIBC_2.3.3");
#pragma weak dladdr
#pragma weak dladdr1
#pragma weak dlclose
#pragma weak dlopen
#pragma weak dlvsym
#pragma weak pthread_attr_setstacksize
#pragma weak pthread_create
#pragma weak pthread_mutex_init
#pragma weak pthread_mutex_lock
#pragma weak pthread_mutex_unlock
#pragma weak pthread_sigmask
#pragma weak pthread_timedjoin_np
#endif
