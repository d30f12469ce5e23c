package import Flare
package import JSON

/// A thing at the edge has uploaded a state just now, and it was accepted, whether or not it is another one than before.
///
/// It goes to the slices with ``Slice/followsUploads``, and leaves the process nowhere. The Flare server may still have to
/// store it: until then what the core shows of the thing is older.
/// - Source: contrib/contract/bindings.md, "States".
package struct StateUploaded: Sendable, Hashable {
    package let thing: FlareID
    /// The thing's data before, with what the Flare server has yet to store of it.
    package let before: JSONObject
    /// The top-level fields that it has uploaded and that are its data from now on, each equal to that before or not.
    package let written: JSONObject
    /// Of the thing, if it has sent the state itself over HTTP.
    package let address: String?

    package init(thing: FlareID, before: JSONObject, written: JSONObject, address: String? = nil) {
        (self.thing, self.before, self.written, self.address) = (thing, before, written, address)
    }

    /// The thing's data with it.
    package var after: JSONObject { before.merging(written) { $1 } }
}
