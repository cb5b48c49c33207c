/* A runtime with one function whose result tells which of two majors was reached. */
int cudaDeviceSynchronize(void) {
  return 100 * DOOR_MAJOR;
}
