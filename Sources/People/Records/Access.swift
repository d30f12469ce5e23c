/// What somebody may do with something; each includes those before it.
package enum Access: String, Sendable, Hashable, CaseIterable {
    /// See it.
    case read
    /// Also drive it.
    case write
    /// Also change its name, properties and binding, and give grants inside the scope.
    case own
}

extension Access: Comparable {
    /// 0, 1 or 2.
    var rank: UInt8 {
        switch self {
        case .read: 0
        case .write: 1
        case .own: 2
        }
    }

    package static func < (left: Access, right: Access) -> Bool { left.rank < right.rank }
}
