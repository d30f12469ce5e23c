package import Bindings
package import People

/// What a request below `/thing-if/` and `/api/apps/` brings to be recognised by.
///
/// Cookies, the proxy's header and the listener's password do not count there.
package enum ThingIFCredentials: Sendable, Hashable {
    case none
    /// A token: a user's, a thing's, or one for nobody by name.
    case bearer(String)
    /// The app's identifier and key: HTTP Basic, or the headers `X-Kii-AppID` and `X-Kii-AppKey`.
    case app(id: String, key: String)
}

/// Recognises who asks.
///
/// Addresses are those of ``Requester/address``, for limits on guessing.
package protocol ThingIFCallers: Sendable {
    /// Who asks something of an app.
    ///
    /// A request with a body is judged twice: a token may end while it arrives. What brings nothing is also asked about only
    /// to learn whether the app is known.
    /// - Parameter app: The app's identifier in the path.
    /// - Returns: A failure of an unknown app before anything is said about the credentials; of no, unknown or wrong
    ///   credentials.
    func caller(
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<BindingCaller, BindingsError>
}

/// Makes tokens, onboards things, and keeps installations: what ``WebRoute/thingIF(_:)`` needs.
package protocol ThingIFIdentity: ThingIFCallers {
    /// Makes a token.
    ///
    /// - Parameter credentials: What else the request brings: the app's key may come with it.
    func token(
        for request: TokenRequest,
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<IssuedToken, BindingsError>

    func onboard(
        _ request: OnboardingRequest,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<OnboardingAnswer, BindingsError>

    /// Registers an installation of the caller, or moves it to the caller.
    func install(_ request: Installation.Request, by caller: BindingCaller) async -> Result<
        Installation, BindingsError
    >

    /// An installation of the caller.
    func installation(_ id: String, of caller: BindingCaller) async -> Result<Installation, BindingsError>

    /// Removes an installation of the caller.
    func uninstall(_ id: String, of caller: BindingCaller) async -> Result<Void, BindingsError>
}
