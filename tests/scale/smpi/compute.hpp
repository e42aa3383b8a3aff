// Lets the time of computation pass.
#pragma once

namespace scale {

// On a simulated rank: what the table of rates gives for this name and so many bytes.
void compute(const char* name, double bytes);
// Where launches are queued: until the rank's device has done all of them.
void wait_for_device();

}  // namespace scale
