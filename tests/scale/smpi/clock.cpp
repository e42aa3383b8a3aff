// The clock of the program is that of the simulation, and who sleeps lets its time pass: in real time all other ranks
// would wait with the sleeper, and deadlines would never come.
#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include <chrono>
#include <ctime>

#include "tests/scale/smpi/ledger.hpp"

namespace scale {

double now() { return simgrid_get_clock(); }

}  // namespace scale

std::chrono::steady_clock::time_point wrapped_now() asm("__wrap__ZNSt6chrono3_V212steady_clock3nowEv");
std::chrono::steady_clock::time_point wrapped_now() {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(static_cast<long>(scale::now() * 1e9)));
}

namespace {

// False outside of simulated ranks.
bool let_pass(const timespec* time) {
  if (sg_actor_self() == nullptr) return false;
  sg_actor_sleep_for(static_cast<double>(time->tv_sec) + 1e-9 * static_cast<double>(time->tv_nsec));
  return true;
}

}  // namespace

extern "C" int __real_nanosleep(const timespec*, timespec*);
extern "C" int __wrap_nanosleep(const timespec* time, timespec* left) {
  return let_pass(time) ? 0 : __real_nanosleep(time, left);
}

extern "C" int __real_clock_nanosleep(clockid_t, int, const timespec*, timespec*);
extern "C" int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  return let_pass(time) ? 0 : __real_clock_nanosleep(clock, flags, time, left);
}

// Starts a thread for each rank, which would look for signals ten times a second for all the time that a run takes.
void no_watch(void (*)(int)) asm("__wrap__ZN9halocline15let_signals_endEPFviE");
void no_watch(void (*)(int)) {}
