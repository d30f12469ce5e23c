package import Flare

/// Why the server did not do what was asked; nothing has changed then.
package enum FlareHubError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An object of this class has the identifier already; the refused object.
    case duplicate(FlareRecord)
    /// The database did not take the change, in its own words.
    case store(FlareStoreError)
    /// Something is larger than allowed; both in bytes, save nesting, in levels.
    case tooLarge(what: String, size: Int, limit: Int)
    /// There would be more objects than allowed.
    case tooManyObjects(limit: Int)
    /// The database refused; it is in the log.
    case notStored
    /// One request would make more objects than one may.
    case tooManyAtOnce(Int, limit: Int)
    /// `setData` cannot store a value under this key.
    case notStorable(key: String, reason: String)
    /// A position with a coordinate that is no finite number.
    case notFinite(ObjectReference)
    /// The change is made, but the disk has not confirmed it.
    case notDurable(FlareStoreError)
    /// A policy refuses the change; why.
    case notAllowed(String)

    package var description: String {
        switch self {
        case .duplicate(let record): "the \(record.kind.rawValue) \(record.id) is there already"
        case .store(let error): error.description
        case .tooLarge(let what, let size, let limit): "\(what) is \(size); at most \(limit) is allowed"
        case .tooManyObjects(let limit): "there would be more than \(limit) objects"
        case .notStored: "the database did not take the change"
        case .tooManyAtOnce(let count, let limit):
            "\(count) objects in one request; at most \(limit) are allowed, send the others in further requests"
        case .notStorable(let key, let reason): "data.\(key) cannot be set: \(reason)"
        case .notFinite(let object):
            "the position of \(object.kind.rawValue) \(object.id) must be finite numbers"
        case .notDurable(let error): "changed, but a power cut may take it back: \(error)"
        case .notAllowed(let reason): reason
        }
    }
}
