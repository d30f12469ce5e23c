package import JSON

/// A state that a thing reported, with its time.
package struct Sample: Sendable, Hashable {
    /// Milliseconds since 1970.
    package let at: Int64
    package let state: JSONObject

    package init(_ state: JSONObject, at: Int64) { (self.state, self.at) = (state, at) }
}
