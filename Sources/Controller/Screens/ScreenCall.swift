/// A call that changes what a display shows.
/// - Source: contrib/contract/profiles.md, "Screens, controls and calls".
package enum ScreenCall: Sendable, Hashable {
    /// The calls by name.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case pushScreen, back, navigateHome, startApplication, signInComplete, sessionClosed
    }

    /// Puts a screen on top, with a thing by slug or identifier as received.
    case pushScreen(String, thing: String?)
    case back, navigateHome, startApplication
    /// Somebody has signed in at the display, or is not signed in there any more.
    case signInComplete, sessionClosed

    /// The word that stands for every display.
    package static let everyDisplay = "all"

    package var name: Name {
        switch self {
        case .pushScreen: .pushScreen
        case .back: .back
        case .navigateHome: .navigateHome
        case .startApplication: .startApplication
        case .signInComplete: .signInComplete
        case .sessionClosed: .sessionClosed
        }
    }
}
