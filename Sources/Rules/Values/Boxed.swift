/// A large value on the heap, shared by its copies.
///
/// Several dictionaries hold each rule, and a dictionary reserves room for twice as many values as it has.
@propertyWrapper
package struct Boxed<Value: Sendable & Hashable>: Sendable, Hashable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package var wrappedValue: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    package init(_ value: Value) { self.init(wrappedValue: value) }

    package static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.wrappedValue == right.wrappedValue
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
