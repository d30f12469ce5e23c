package import Flare
package import JSON
package import People

/// A thing as it is known to those who onboard it: its names, password and fixed fields, and where its commands go.
///
/// - Source: contrib/contract/bindings.md, "Onboarding".
package struct ThingBinding: Sendable, Hashable {
    /// Where the thing's commands go.
    package enum Route: String, Sendable, Hashable, CaseIterable {
        /// The Flare server, whose data is the thing's state.
        case flare
        /// The thing itself.
        case edge
    }

    /// How a thing is connected.
    package enum Layout: String, Sendable, Hashable, CaseIterable {
        case standalone = "STANDALONE"
        case gateway = "GATEWAY"
        case endNode = "ENDNODE"
    }

    package let id: BindingID
    /// `vendorThingID`, unique; it never changes.
    package let vendor: String
    /// The hash of the password, which never changes.
    package let password: String
    package var type: String?
    package var firmware: String?
    package var properties: JSONObject
    package var layout: Layout?
    package var interval: GroupInterval?
    /// What no onboarding changes any more.
    package var fixed: Set<FixedField> = []
    /// Whether an owner has onboarded it; it stays so when the last owner is removed.
    package var isOwned = false
    /// The gateway that speaks for it.
    package var gateway: BindingID?
    /// What an owner has asked for of the place, while it waits for its thing.
    ///
    /// The properties do not count here: anybody who knew the password earlier may have given them.
    package var wish = PlaceWish()
    /// The thing of the environment that it is.
    package var thing: FlareID?
    /// Whether that thing was made by the onboarding, and goes with the binding.
    ///
    /// Without a thing: whether it had one that was removed, so that none is made again.
    package var isMade = false
    /// Whether a thing is being made for it: one that bears its identifier is that thing.
    ///
    /// At any other time the identifier says nothing, as whoever may write may have put it there.
    package var isMaking = false
    package var route: Route = .flare
    /// Its last state: what was reported, or its data at the Flare server; `nil` before the first.
    package var state: JSONObject?
    /// When it had that state, milliseconds since 1970; `nil` before the first that it reported, or that changed.
    package var stateAt: Int64?
    /// When it was onboarded first, milliseconds since 1970.
    package let made: Int64
    /// When the thing itself was last heard, milliseconds since 1970; `nil` if it never was.
    package var seen: Int64?

    /// - Parameter made: The time of the first onboarding, milliseconds since 1970.
    package init(_ id: BindingID, vendor: String, password: String, properties: JSONObject = [:], made: Int64)
    {
        (self.id, self.vendor, self.password) = (id, vendor, password)
        self.properties = properties
        self.made = made
    }

    /// The keys of its data that may be set, if it says so.
    package var settable: Set<String>? {
        properties["settable"]?.array.map { Set($0.compactMap(\.string)) }
    }

    /// The interval of the groups of its history, if it has one: an interval and an owner.
    package var history: Result<GroupInterval, BindingsError> {
        Self.history(of: vendor, isOwned: isOwned, interval)
    }

    /// The interval of the groups of a thing's history, if it has one; or why it has none.
    package static func history(
        of vendor: String,
        isOwned: Bool,
        _ interval: GroupInterval?
    ) -> Result<GroupInterval, BindingsError> {
        guard isOwned else {
            return .failure(
                .historyNotAvailable("thing \(vendor) has no history, because it has no owner yet")
            )
        }
        guard let interval else {
            let names = GroupInterval.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(
                .historyNotAvailable(
                    "thing \(vendor) has no history, because it was onboarded without dataGroupingInterval, one of \(names)"
                )
            )
        }
        return .success(interval)
    }
}
