// Fuzz target: the input is a file that a run has left and a later one reads, behind a first byte: "m" the list of its
// own files, "r" its report, "x" its index of outputs, "k" the keys of the deck and "o" the outputs that a checkpoint
// tells. What is read must stay the same when it is written and read again, and lead to no file of others.
#include <algorithm>
#include <string>
#include <vector>

#include "io/fingerprint.hpp"
#include "io/manifest.hpp"
#include "io/output/outputs.hpp"
#include "io/output/read_report.hpp"
#include "io/output/vtkhdf.hpp"
#include "io/output/xdmf.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

using fuzz::must;

constexpr const char* present[] = {"deck.yaml", "mine.txt", "report.json"};

void read_manifest(const fuzz::Folder& folder, const std::string& text) {
  fuzz::File(folder, Manifest::file_name).set(text);
  Manifest manifest(folder.path());
  const std::vector<std::string> own = manifest.own_files();
  for (const std::string& name : own)
    must(name == Manifest::file_name ||
         std::any_of(std::begin(present), std::end(present), [&](const char* one) { return name == one; }));
  for (const char* name : {"../mine.txt", "/etc/passwd", "", ".", ".."}) must(!manifest.owns(name) || *name == '.');
  must(manifest.in_the_way("c", true) != "mine.txt");
  manifest.open("c", false);
  manifest.close();
  const std::vector<std::string> later = manifest.own_files();
  must(std::includes(later.begin(), later.end(), own.begin(), own.end()));
  must(Manifest(folder.path()).own_files() == later);
}

// Also as a run that goes on reads it, which removes outputs of later times.
void read_index(const fuzz::Folder& folder, const std::string& text) {
  static const Communicator comm(fuzz::open_mpi());
  std::vector<OutputStep> steps = steps_of_xdmf(text);
  std::erase_if(steps, [](const OutputStep& one) { return one.file.empty(); });
  std::string index;
  put_xdmf_index([&](std::string_view more) { index += more; }, "fields", steps);
  const std::vector<OutputStep> again = steps_of_xdmf(index);
  must(again.size() == steps.size());
  for (std::size_t n = 0; n < steps.size(); ++n) must(again[n].file == steps[n].file);
  fuzz::File(folder, "fields.xdmf").set(text);
  VtkhdfWriter writer(comm, folder.path(), "fields", {}, {});
  writer.resume(0.5);
  for (const char* name : {"mine.txt", "deck.yaml", "../mine.txt"}) must(access((folder / name).c_str(), F_OK) == 0);
  for (const char* name : {"fields.xdmf", "fields.vtkhdf.series"}) unlink((folder / name).c_str());
}

void read_keys(const std::string& text) {
  const Fingerprint keys = read_fingerprint(text);
  must(read_fingerprint(keys.text()).text() == keys.text());
  Fingerprint other = keys;
  other.keys["diffusion.time.end"].text += "1";
  for (const bool may_change : {false, true}) must(differences(keys, keys, may_change).empty());
  must(!differences(keys, other, other.keys["diffusion.time.end"].may_change).empty());
}

void run(std::string_view input) {
  static const fuzz::Folder top;
  static const fuzz::Folder folder(top / "run");
  static const bool made = [] {
    fuzz::File(top, "mine.txt").set("text");
    for (const char* name : present) fuzz::File(folder, name).set("text");
    return true;
  }();
  if (!made || input.empty()) return;
  const std::string text(input.substr(1));
  switch (input[0]) {
    case 'm':
      fuzz::refused_or_failed([&] { read_manifest(folder, text); });
      break;
    case 'r':
      fuzz::refused([&] {
        const std::string report = report_text(parse_report(text));
        must(report_text(parse_report(report)) == report);
      });
      break;
    case 'x':
      read_index(folder, text);
      break;
    case 'k':
      read_keys(text);
      break;
    default:
      fault_of_outputs(folder.path(), text);
  }
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
