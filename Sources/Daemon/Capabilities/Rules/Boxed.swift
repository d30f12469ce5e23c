/// A large value on the heap, shared by its copies.
///
/// Two dictionaries hold each rule, and a dictionary reserves room for twice as many values as it has.
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

    /// The box itself, so that another property can share the value.
    var projectedValue: Self { self }

    init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    init(_ value: Value) { self.init(wrappedValue: value) }

    static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.wrappedValue == right.wrappedValue
    }

    func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
