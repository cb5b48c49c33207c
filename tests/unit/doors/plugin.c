/* An extension linked to one runtime, as Python opens them: RTLD_LOCAL. */
extern int cudaDeviceSynchronize(void);
extern int cudaEventSynchronize(void*);

int plugin_synchronize(void) {
  return cudaDeviceSynchronize();
}

/* Of a function that its runtime lacks. */
int plugin_event(void) {
  return cudaEventSynchronize((void*)0);
}
