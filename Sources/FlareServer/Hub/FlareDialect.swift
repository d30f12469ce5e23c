/// Whether the server keeps to the origin's plain bugs, which clients have learnt to live with.
package enum FlareDialect: Sendable, Hashable {
    /// As the origin does.
    case origin
    /// Put right:
    /// - a client in several rooms gets a message once;
    /// - a key that cannot be stored is not told of;
    /// - `clockwise` and `counterclockwise` stay within 0 and 360, and an action on what is no number does nothing;
    /// - an object without position is at no distance, and passes no filter by distance;
    /// - the filters apply to the things of an environment too.
    case strict
}
