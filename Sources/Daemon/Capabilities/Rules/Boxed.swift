/// A large value that is kept once, outside of those that have it.
///
/// A dictionary has room for twice as many values as are in it, and copies of rules are in two.
@propertyWrapper
struct Boxed<Value: Sendable & Hashable>: Sendable, Hashable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    var wrappedValue: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    /// For another place that is to have the same.
    var projectedValue: Self { self }

    init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    init(_ value: Value) { self.init(wrappedValue: value) }

    static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.wrappedValue == right.wrappedValue
    }

    func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
