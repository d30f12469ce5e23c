package import Flare

/// Why a request failed; nothing has changed, except with ``notDurable(_:)``.
package enum FlareHubError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The identifier of this object is in use by another object of its class.
    case duplicate(FlareRecord)
    /// The database refused the change.
    case store(FlareStoreError)
    /// A size limit was exceeded: bytes, or levels of nesting.
    case tooLarge(what: String, size: Int, limit: Int)
    /// The limit of objects would be exceeded.
    case tooManyObjects(limit: Int)
    /// The database refused the change, as logged.
    case notStored
    /// One request would create too many objects.
    case tooManyAtOnce(Int, limit: Int)
    /// `setData` cannot store a value under this key.
    case notStorable(key: String, reason: String)
    /// A coordinate that is not a finite number.
    case notFinite(ObjectReference)
    /// The change was made, but the disk has not confirmed it.
    case notDurable(FlareStoreError)
    /// A policy refuses the change, for this reason.
    case notAllowed(String)
    /// As ``notAllowed(_:)``, for who may not know that the object is there.
    case hidden

    package var description: String {
        switch self {
        case .duplicate(let record): "the \(record.kind.rawValue) \(record.id) already exists"
        case .store(let error): error.description
        case .tooLarge(let what, let size, let limit): "\(what) is \(size); at most \(limit) is allowed"
        case .tooManyObjects(let limit): "there would be more than \(limit) objects"
        case .notStored: "the database refused the change"
        case .tooManyAtOnce(let count, let limit):
            "\(count) objects in one request; at most \(limit) are allowed; use further requests for the others"
        case .notStorable(let key, let reason): "data.\(key) cannot be set: \(reason)"
        case .notFinite(let object):
            "the position of \(object.kind.rawValue) \(object.id) must be finite numbers"
        case .notDurable(let error): "the change was made, but a power failure may undo it: \(error)"
        case .notAllowed(let reason): reason
        case .hidden: "there is no such object"
        }
    }
}
