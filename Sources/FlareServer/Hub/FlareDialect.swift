/// Whether the server reproduces the bugs of the original server, on which clients may rely.
package enum FlareDialect: Sendable, Hashable {
    /// Like the original server.
    case origin
    /// Corrected:
    /// - A client in several rooms receives a message once.
    /// - A key that cannot be stored is not announced.
    /// - `clockwise` and `counterclockwise` stay within 0 and 360, and an action on a non-numeric value has no effect.
    /// - An object without a position does not match a filter by distance.
    /// - Filters also apply to the list of an environment's things.
    case strict
}
