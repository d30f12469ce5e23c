package import Profiles

/// The section `profiles`: what kinds of things there are, and which thing is of which kind.
package struct ProfileSettings: Sendable, Hashable {
    /// An entry of `profiles.things`.
    package struct Assignment: Sendable, Hashable {
        /// Counts from 1.
        package let number: Int
        /// The thing's slug or id.
        package var thing = ""
        /// The profile's name; `name/model` where several profiles have that name.
        package var profile = ""
    }

    package var files: [String] = []
    package var things: [Assignment] = []
    /// The folder with own screens, controls and icons.
    package var modules: String?
    package var language = "en"
    package var expectedVersion: String?

    // What is read together with the configuration.

    /// What the files say, with the built-in profiles.
    package var library = ProfileLibrary.builtIn
    /// The classes for which ``modules`` has a file.
    package var classes: Set<String> = []
}
