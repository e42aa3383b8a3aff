// Of which commit the program is.
#pragma once

namespace halocline {

// The short name of the commit, with + behind it where files were changed; "" when the build did not know.
const char* commit();

}  // namespace halocline
