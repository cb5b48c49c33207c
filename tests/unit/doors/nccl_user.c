/* A program's library that is linked to one of the providers of NCCL's names. */
extern int ncclGroupStart(void);

int user_start(void) {
  return ncclGroupStart();
}
