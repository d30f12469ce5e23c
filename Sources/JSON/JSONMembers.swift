/// Receives the members of an object in the order of their keys: as bytes, or as a value.
///
/// A message is described once: what is sent, and what stands in other messages, come from the same function.
package protocol JSONMembers: ~Copyable {
    mutating func add(_ name: StaticString, _ value: JSONValue)
    mutating func add(_ name: StaticString, _ text: String)
    mutating func add(_ name: StaticString, _ number: Int)
    mutating func add(_ name: StaticString, _ number: Double)
    mutating func add(_ name: StaticString, _ flag: Bool)
    mutating func add(_ name: StaticString, _ texts: [String])
    mutating func add(_ name: StaticString, _ members: JSONObject)
    /// Adds a text of ASCII characters that need no escape, such as digits.
    mutating func add(
        _ name: StaticString,
        ascii length: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    )
    /// Adds an object with the members that the function adds.
    mutating func add(_ name: StaticString, members: (inout Self) -> Void)
}

/// What has no value is left out.
extension JSONMembers where Self: ~Copyable {
    package mutating func add(_ name: StaticString, _ value: JSONValue?) {
        if let value { add(name, value) }
    }

    package mutating func add(_ name: StaticString, _ text: String?) {
        if let text { add(name, text) }
    }

    package mutating func add(_ name: StaticString, _ number: Int?) {
        if let number { add(name, number) }
    }

    package mutating func add(_ name: StaticString, _ number: Double?) {
        if let number { add(name, number) }
    }
}

extension JSONObject: JSONMembers {
    package mutating func add(_ name: StaticString, _ value: JSONValue) { self[name.description] = value }
    package mutating func add(_ name: StaticString, _ text: String) { add(name, .string(text)) }
    package mutating func add(_ name: StaticString, _ number: Int) { add(name, JSONValue(number)) }
    package mutating func add(_ name: StaticString, _ number: Double) { add(name, .number(number)) }
    package mutating func add(_ name: StaticString, _ flag: Bool) { add(name, .bool(flag)) }
    package mutating func add(_ name: StaticString, _ members: JSONObject) { add(name, .object(members)) }

    package mutating func add(_ name: StaticString, _ texts: [String]) {
        add(name, .array(texts.map { .string($0) }))
    }

    package mutating func add(
        _ name: StaticString,
        ascii length: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let text = String(unsafeUninitializedCapacity: length) { storage in
            fill(UnsafeMutableRawBufferPointer(storage))
            return length
        }
        add(name, .string(text))
    }

    package mutating func add(_ name: StaticString, members: (inout JSONObject) -> Void) {
        var inner = JSONObject()
        members(&inner)
        add(name, .object(inner))
    }
}
