/// The screens of a configuration, for the calls that lead to them.
/// - Source: contrib/contract/profiles.md, "userExperience".
package struct ScreenSettings: Sendable, Hashable {
    /// The names of all screens, in the order of the file.
    package let names: [String]
    package let home: String
    package let signIn: String

    package init(names: [String], home: String, signIn: String) {
        (self.names, self.home, self.signIn) = (names, home, signIn)
    }
}
