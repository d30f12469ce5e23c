/// Who asks for something of a binding: onboards a thing, reports its state, or answers a command.
///
/// A thing and a program with the app's key are no users: they never set anything.
package enum BindingCaller: Sendable, Hashable {
    case user(Caller)
    /// A thing with its own token.
    case thing(BindingID)
    /// A program with the app's identifier and key.
    case app
    /// A program with a token for nobody, which it got for the app's key.
    case anonymous
}
