// Preloaded into a program under test: makes one of its calls fail, write half, come late, or be its last.
//
// HALOCLINE_FAULT_UNDER   folder; calls on files in it count, all others pass
// HALOCLINE_FAULT_CALL    open, write, fsync, close, rename, room or any of these; read; of memory, between the start
//                         and the end of MPI: mmap, new (what C++ allocates), malloc (what libraries allocate as well)
// HALOCLINE_FAULT_AT      number of the call that fails, from 1; 0: none
// HALOCLINE_FAULT_KIND    an errno as a number; half: half is written, then the disk is full, or half is read; late:
//                         0.2 s later; kill: SIGKILL before it; crash: SIGSEGV; stop: SIGSTOP
// HALOCLINE_FAULT_RANK    of MPI, the only process that counts; none: every process does
// HALOCLINE_FAULT_COUNT   file to which a process adds its number of calls when it ends
// HALOCLINE_FAULT_LOG     folder, not in that one: what would be on a disk after a power failure. Its file `log` has a
//                         line per call that makes, renames, links, removes or syncs a file or a folder, in their
//                         order; file N what the file had that line N, from 0, has synced. Of one process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

// Of MPI, which the library is made without.
int MPI_Init_thread(int* count, char*** words, int wanted, int* provided);
int MPI_Finalize(void);

// What the next one of a name is: the library's.
#define NEXT(name)               \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int counts(const char* call) {
  const char *wanted = getenv("HALOCLINE_FAULT_CALL"), *rank = getenv("HALOCLINE_FAULT_RANK");
  const char* mine = getenv("OMPI_COMM_WORLD_RANK");
  if (wanted == NULL) return 0;
  const int any = strcmp(wanted, "any") == 0 && strcmp(call, "read") != 0 && strcmp(call, "mmap") != 0;
  if (!any && strcmp(wanted, call) != 0) return 0;
  return rank == NULL || (mine != NULL && strcmp(rank, mine) == 0);
}

static int under(const char* path) {
  const char* folder = getenv("HALOCLINE_FAULT_UNDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int path_under(const char* path) {
  char whole[8192];
  if (path[0] == '/') return under(path);
  if (getcwd(whole, 4096) == NULL || strlen(path) > 4000) return 0;
  strcat(whole, "/");
  return under(strcat(whole, path));
}

static int descriptor_under(int file) {
  char name[64], path[4096];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  const ssize_t size = readlink(name, path, sizeof(path) - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return under(path);
}

// 0: go on; otherwise the errno with which the call fails; -1: half of it.
static int fault(int inside) {
  if (!inside) return 0;
  const char *at = getenv("HALOCLINE_FAULT_AT"), *kind = getenv("HALOCLINE_FAULT_KIND");
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (at == NULL || kind == NULL || number != atol(at)) return 0;
  if (strcmp(kind, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(kind, "crash") == 0) raise(SIGSEGV);
  if (strcmp(kind, "stop") == 0) return raise(SIGSTOP) * 0;
  if (strcmp(kind, "late") == 0) return usleep(200000) * 0;
  return strcmp(kind, "half") == 0 ? -1 : atoi(kind);
}

static int fails(int inside) {
  const int reason = fault(inside);
  if (reason != 0) errno = reason < 0 ? ENOSPC : reason;
  return reason != 0;
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("HALOCLINE_FAULT_COUNT");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static long log_lines;

// Behind the call that it tells of, which has the lock.
static void note(const char* what, const char* path, const char* other) {
  char name[4200], whole[8400] = "";
  snprintf(name, sizeof(name), "%s/log", getenv("HALOCLINE_FAULT_LOG"));
  FILE* file = fopen(name, "a");
  if (file == NULL) return;
  if (path[0] != '/' && getcwd(whole, 4096) != NULL) strcat(whole, "/");
  fprintf(file, "%s\t%s%s\t%s%s\n", what, whole, path, other[0] == '/' || other[0] == 0 ? "" : whole, other);
  fclose(file);
  ++log_lines;
}

static void keep_synced(int file) {
  char name[4200], link[64], path[4096], piece[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  struct stat status;
  if (length < 0 || fstat(file, &status) != 0) return;
  path[length] = 0;
  if (S_ISDIR(status.st_mode)) return note("folder", path, "");
  snprintf(name, sizeof(name), "%s/%ld", getenv("HALOCLINE_FAULT_LOG"), log_lines);
  FILE *from = fopen(path, "r"), *to = fopen(name, "w");
  for (size_t got; from != NULL && to != NULL && (got = fread(piece, 1, sizeof(piece), from)) > 0;)
    fwrite(piece, 1, got, to);
  if (from != NULL) fclose(from);
  if (to != NULL) fclose(to);
  note("sync", path, "");
}

// Runs `call`, and notes it when it has done well and belongs to the folder.
#define NOTED(inside, call, telling)                                   \
  if (getenv("HALOCLINE_FAULT_LOG") == NULL || !(inside)) return call; \
  pthread_mutex_lock(&log_lock);                                       \
  const int done = call;                                               \
  const int reason = errno;                                            \
  if (done >= 0) telling;                                              \
  pthread_mutex_unlock(&log_lock);                                     \
  errno = reason;                                                      \
  return done;

static int opens_for_writing(const char* path, int flags) {
  return (flags & (O_WRONLY | O_RDWR)) != 0 && counts("open") && path_under(path);
}

#define OPEN(name)                                                                       \
  int name(const char* path, int flags, ...) {                                           \
    NEXT(name);                                                                          \
    va_list more;                                                                        \
    va_start(more, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                        \
    if (fails(opens_for_writing(path, flags))) return -1;                                \
    const int made = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;                  \
    NOTED(made&& path_under(path), next(path, flags, mode), note("create", path, ""))    \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void* bytes, size_t size) {
  NEXT(write);
  const int reason = fault(counts("write") && descriptor_under(file));
  if (reason == 0) return next(file, bytes, size);
  if (reason < 0 && size > 1) return next(file, bytes, size / 2);
  errno = reason < 0 ? ENOSPC : reason;
  return -1;
}

// After half of a write the disk stays full: the rest of it fails too.
static ssize_t write_at(ssize_t (*next)(int, const void*, size_t, off_t), int file, const void* bytes, size_t size,
                        off_t offset) {
  static atomic_int full;
  const int inside = counts("write") && descriptor_under(file);
  const int reason = inside && atomic_exchange(&full, 0) ? ENOSPC : fault(inside);
  if (reason == 0) return next(file, bytes, size, offset);
  if (reason < 0 && size > 1) {
    atomic_store(&full, 1);
    return next(file, bytes, size / 2, offset);
  }
  errno = reason < 0 ? ENOSPC : reason;
  return -1;
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  NEXT(pwrite);
  return write_at(next, file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  NEXT(pwrite64);
  return write_at(next, file, bytes, size, offset);
}

// What is to be read: all of it, half, or nothing (0) with the reason in errno.
static size_t readable(int file, size_t size) {
  const int reason = fault(counts("read") && descriptor_under(file));
  if (reason > 0) errno = reason;
  return reason == 0 ? size : reason < 0 ? (size + 1) / 2 : 0;
}

ssize_t read(int file, void* bytes, size_t size) {
  NEXT(read);
  const size_t part = readable(file, size);
  return part == 0 && size > 0 ? -1 : next(file, bytes, part);
}
#define READ_AT(name)                                                    \
  ssize_t name(int file, void* bytes, size_t size, off_t offset) {       \
    NEXT(name);                                                          \
    const size_t part = readable(file, size);                            \
    return part == 0 && size > 0 ? -1 : next(file, bytes, part, offset); \
  }
READ_AT(pread)
READ_AT(pread64)

int fsync(int file) {
  NEXT(fsync);
  if (fails(counts("fsync") && descriptor_under(file))) return -1;
  NOTED(descriptor_under(file), next(file), keep_synced(file))
}

// A close that fails closes all the same.
int close(int file) {
  NEXT(close);
  const int bad = fails(counts("close") && descriptor_under(file)), reason = errno, done = next(file);
  if (bad) errno = reason;
  return bad ? -1 : done;
}

int rename(const char* from, const char* to) {
  NEXT(rename);
  if (fails(counts("rename") && path_under(to))) return -1;
  NOTED(path_under(to), next(from, to), note("rename", from, to))
}

int link(const char* from, const char* to) {
  NEXT(link);
  NOTED(path_under(to), next(from, to), note("link", from, to))
}

int unlink(const char* path) {
  NEXT(unlink);
  NOTED(path_under(path), next(path), note("remove", path, ""))
}

#define ROOM(name)                                                                  \
  int name(int file, off_t size) {                                                  \
    NEXT(name);                                                                     \
    return fails(counts("room") && descriptor_under(file)) ? -1 : next(file, size); \
  }
ROOM(ftruncate)
ROOM(ftruncate64)

#define CLAIM(name)                                                                               \
  int name(int file, int mode, off_t offset, off_t size) {                                        \
    NEXT(name);                                                                                   \
    return fails(counts("room") && descriptor_under(file)) ? -1 : next(file, mode, offset, size); \
  }
CLAIM(fallocate)
CLAIM(fallocate64)

// Memory. Before and after MPI nothing is computed, and what fails there is the library's.
static atomic_int at_work;
static uintptr_t program[4];  // where the code of the program and that of the C++ library begin and end

static int find_program(struct dl_phdr_info* info, size_t size, void* count) {
  (void)size;
  int* const n = (int*)count;
  const int first = (*n)++ == 0;
  uintptr_t* const range = first ? program : program + 2;
  if (!first && strstr(info->dlpi_name, "libstdc++") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0) continue;
    range[0] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    range[1] = range[0] + info->dlpi_phdr[i].p_memsz;
  }
  return 0;
}

int MPI_Init_thread(int* count, char*** words, int wanted, int* provided) {
  NEXT(MPI_Init_thread);
  int objects = 0;
  dl_iterate_phdr(find_program, &objects);
  const int done = next(count, words, wanted, provided);
  atomic_store(&at_work, 1);
  return done;
}

int MPI_Finalize(void) {
  NEXT(MPI_Finalize);
  atomic_store(&at_work, 0);
  return next();
}

static int no_memory(const void* caller) {
  if (!atomic_load(&at_work)) return 0;
  const uintptr_t at = (uintptr_t)caller;
  const int ours = (at >= program[0] && at < program[1]) || (at >= program[2] && at < program[3]);
  return fails(counts("malloc") || (ours && counts("new")));
}

// As the C library names what its own are made of.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void* malloc(size_t size) { return no_memory(CALLER) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return no_memory(CALLER) ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return no_memory(CALLER) ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return no_memory(CALLER) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** made, size_t alignment, size_t size) {
  if (no_memory(CALLER)) return ENOMEM;
  *made = __libc_memalign(alignment, size);
  return *made == NULL ? ENOMEM : 0;
}

#define MAP(name)                                                                     \
  void* name(void* at, size_t size, int allowed, int flags, int file, off_t offset) { \
    NEXT(name);                                                                       \
    if (atomic_load(&at_work) && fails(counts("mmap"))) return MAP_FAILED;            \
    return next(at, size, allowed, flags, file, offset);                              \
  }
MAP(mmap)
MAP(mmap64)
