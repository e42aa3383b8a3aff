/* For sanitizer builds: MPI unloads its plugins at the end, after which the leak checker could not tell which library
   their blocks came from. With a dlclose that does nothing they stay, and lsan.supp can name them. */
int dlclose(void* handle);
int dlclose(void* handle) {
  (void)handle;
  return 0;
}
