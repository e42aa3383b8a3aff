#include "io/deck/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/base/text/printable.hpp"

namespace halocline {
namespace {

constexpr std::size_t max_bytes = std::size_t{4} << 20;
constexpr std::size_t max_depth = 50;
constexpr std::size_t max_problems = 200;

using Kind = DeckNode::Kind;

[[noreturn]] void fail(const DeckPosition& position, std::string message) {
  throw YamlFailure{{position, "", std::move(message)}};
}

// Refuses what yaml-cpp would misread: control characters (it takes 0x04 for the end), broken UTF-8 and tabs that
// indent.
void check_characters(std::string_view text, int origin) {
  if (text.size() > max_bytes)
    fail({origin, 1, 1}, "the text is larger than 4 MiB; halocline takes that for an accident");
  DeckPosition here{origin, 1, 1};
  bool indenting = true;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0) fail(here, "a byte that is no UTF-8 text");
    if (c == '\t' && indenting) fail(here, "a tab in the indentation; YAML wants spaces");
    const bool line_end = c == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    const bool c1 = c == 0xC2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if ((c < 0x20 && c != '\t' && c != '\n' && !line_end) || c == 0x7F || c1) {
      const auto number = c1 ? static_cast<unsigned char>(text[i + 1]) : c;
      fail(here, "the control character number " + std::to_string(number) + "; a deck is printable text");
    }
    indenting = c == '\n' || (indenting && c == ' ');
    i += length;
    here.column += static_cast<int>(length);
    if (c == '\n') here = {origin, here.line + 1, 1};
  }
}

// yaml-cpp speaks of its grammar; deck authors need to know what to look for.
std::string in_plain_words(const std::string& message) {
  if (message == "illegal map value") return "a ':' cannot stand here; check the indentation, or quote the text";
  if (message == "illegal flow end") return "this bracket does not match the one that is open";
  if (message.starts_with("end of")) return "this does not belong here; check the indentation and the quotes";
  return message;
}

// Builds the tree. Each open map or list is a frame; a closed one is attached to the frame below.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, int origin, YamlTree& tree) : text_(text), origin_(origin), tree_(tree) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (awaits_key()) fail(position(mark), "a key is missing before ':'");
    DeckNode node = begin(Kind::null, mark, "", anchor);
    if (!frames_.empty() && frames_.back().node.kind == Kind::map) node.position = frames_.back().key.position;
    attach(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    if (awaits_key()) fail(position(mark), "an alias cannot be a key");
    problem(position(mark), path(), "aliases (*name) are not supported; write the value out");
    attach(begin(Kind::refused, mark, "", 0));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t start = first_character(mark);
    if (awaits_key()) return take_key(mark, tag, anchor, value);
    DeckNode node = begin(Kind::scalar, mark, tag, anchor);
    // By an escape, as "\e[2J": a terminal would obey it, and files of results cannot hold it.
    if (first_unprintable(value) < value.size())
      problem(node.position, path(), "holds a control character; texts of decks are printable");
    node.text = printable(value);
    node.offset = start;
    node.position = position_of(start, mark);
    attach(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Kind::list, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

  // Where the innermost [ or { stands that is still open, if there is one.
  std::optional<DeckPosition> open_bracket() const {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (frame->bracket) return frame->node.position;
    }
    return {};
  }

 private:
  struct Frame {
    DeckNode node;
    DeckEntry key;  // of the value to come
    bool has_key = false;
    bool bracket = false;                       // [ or {
    bool drop = false;                          // the value to come: its key is a repetition
    std::unordered_map<std::string, int> keys;  // with their lines
  };

  bool awaits_key() const {
    return !frames_.empty() && frames_.back().node.kind == Kind::map && !frames_.back().has_key;
  }

  DeckPosition position(const YAML::Mark& mark) const { return {origin_, mark.line + 1, mark.column + 1}; }

  std::string path() const {
    std::string text;
    for (const Frame& frame : frames_) {
      if (frame.node.kind == Kind::list) {
        text.append("[").append(std::to_string(frame.node.items.size())).append("]");
      } else if (frame.has_key) {
        if (!text.empty()) text += '.';
        text += frame.key.key;
      }
    }
    return text;
  }

  void problem(const DeckPosition& where, std::string at, std::string message) {
    if (tree_.problems.size() < max_problems) tree_.problems.push_back({where, std::move(at), std::move(message)});
  }

  DeckNode begin(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    DeckNode node;
    node.kind = kind;
    node.position = position(mark);
    if (anchor != 0) problem(node.position, path(), "anchors (&name) are not supported; write the value out");
    if (!tag.empty() && tag != "?" && tag != "!") {
      problem(node.position, path(), "tags (!name) are not supported; leave it out");
    }
    return node;
  }

  // Offset of a scalar's first character: behind the quote, or behind the header of a block (| or >). Checks that a
  // quote is closed, which yaml-cpp does not do at the end of the text.
  std::size_t first_character(const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(mark.pos);
    if (at >= text_.size()) return text_.size();
    const char c = text_[at];
    if (c == '\'' || c == '"') {
      if (!closed(at)) fail(position(mark), std::string("the quote ") + c + " is never closed");
      return at + 1;
    }
    if (c != '|' && c != '>') return at;
    while (at < text_.size() && text_[at] != '\n') ++at;
    while (at < text_.size() && (text_[at] == '\n' || text_[at] == ' ' || text_[at] == '\r')) ++at;
    return at;
  }
  bool closed(std::size_t start) const {
    const char quote = text_[start];
    for (std::size_t i = start + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (quote == '"' || i + 1 == text_.size() || text_[i + 1] != quote) return true;
        ++i;
      }
    }
    return false;
  }
  DeckPosition position_of(std::size_t offset, const YAML::Mark& mark) const {
    DeckPosition here = position(mark);
    for (auto i = static_cast<std::size_t>(mark.pos); i < offset; ++i) {
      ++here.column;
      if (text_[i] == '\n') here = {origin_, here.line + 1, 1};
    }
    return here;
  }

  void take_key(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) {
    Frame& frame = frames_.back();
    begin(Kind::scalar, mark, tag, anchor);
    frame.has_key = true;
    frame.key = {printable(value), position(mark), {}};
    frame.drop = value == "<<";
    if (frame.drop) {
      problem(frame.key.position, path(), "merge keys (<<) are not supported; write the keys out");
    } else if (const auto [first, added] = frame.keys.emplace(value, frame.key.position.line); !added) {
      frame.drop = true;
      const std::string line = std::to_string(first->second);
      problem(frame.key.position, path(), "given twice, first in line " + line + "; keep one");
    }
  }

  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    if (awaits_key()) fail(position(mark), "a key must be a single word (or a bracket is not closed)");
    if (frames_.size() >= max_depth)
      fail(position(mark), "nested deeper than " + std::to_string(max_depth) + " levels");
    Frame frame;
    frame.node = begin(kind, mark, tag, anchor);
    frame.bracket = style == YAML::EmitterStyle::Flow;
    frames_.push_back(std::move(frame));
  }
  void close() {
    DeckNode node = std::move(frames_.back().node);
    frames_.pop_back();
    attach(std::move(node));
  }
  void attach(DeckNode node) {
    if (frames_.empty()) {
      tree_.root = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == Kind::list) {
      frame.node.items.push_back(std::move(node));
      return;
    }
    frame.has_key = false;
    if (frame.drop) return;
    frame.key.value = std::move(node);
    frame.node.entries.push_back(std::move(frame.key));
  }

  std::string_view text_;
  int origin_;
  YamlTree& tree_;
  std::vector<Frame> frames_;
};

}  // namespace

YamlTree read_yaml(const std::string& text, int origin) {
  check_characters(text, origin);
  YamlTree tree;
  Builder builder(text, origin, tree);
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    DeckNode first = std::move(tree.root);
    if (parser.HandleNextDocument(builder)) {
      fail({origin, tree.root.position.line, tree.root.position.column}, "a second document; a deck is one document");
    }
    tree.root = std::move(first);
  } catch (const YAML::Exception& e) {
    const std::optional<DeckPosition> bracket = builder.open_bracket();
    if (bracket && e.msg.find("flow not found") != std::string::npos) fail(*bracket, "this bracket is never closed");
    const bool known = !e.mark.is_null();
    fail({origin, known ? e.mark.line + 1 : 0, known ? e.mark.column + 1 : 0},
         "no valid YAML: " + in_plain_words(e.msg));
  }
  return tree;
}

}  // namespace halocline
