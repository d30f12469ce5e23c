package import Bindings
import Flare
import GRDB
import JSON
package import People

/// A binding as it is stored.
package struct StoredBinding: Sendable, Hashable {
    package var binding: ThingBinding
    /// Only while no thing of the place is linked; then owners are those with a grant `own` of the thing.
    package var owners: [Grantee]

    package init(_ binding: ThingBinding, owners: [Grantee] = []) {
        (self.binding, self.owners) = (binding, owners)
    }
}

// MARK: - Rows

extension ThingBinding {
    /// `nil` for a damaged row.
    init?(_ row: Row) {
        do throws(StoredColumns.Damage) {
            try self.init(StoredColumns(row))
        } catch {
            return nil
        }
    }

    private init(_ columns: StoredColumns) throws(StoredColumns.Damage) {
        self.init(
            try columns.required("id") { BindingID($0) },
            vendor: try columns.required("vendor") { VendorName.isLegalThing($0) ? $0 : nil },
            password: columns.row["password"],
            properties: try columns.required("properties") { JSONObject(stored: $0) },
            made: columns.row["made"]
        )
        (type, firmware) = (columns.row["type"], columns.row["firmware"])
        let heard: Int64 = columns.row["seen"]
        seen = heard == Self.neverSeen ? nil : heard
        layout = try columns.optional("layout") { Layout(rawValue: $0) }
        interval = try columns.optional("interval") { GroupInterval(rawValue: $0) }
        fixed = try columns.required("fixed") { FixedField.stored($0) }
        gateway = try columns.optional("gateway") { BindingID($0) }
        thing = try columns.optional("thing") { FlareID($0) }
        route = try columns.required("route") { Route(rawValue: $0) }
        state = try columns.optional("state") { JSONObject(stored: $0) }
        stateAt = columns.row["state_at"]
        (isOwned, isMade) = (columns.flag("owned"), columns.flag("made_thing"))
        isMaking = columns.flag("making")
        (wish.thing, wish.zone) = (columns.row["wish_thing"], columns.row["wish_zone"])
    }

    /// What stands in the column of a thing that was never heard: it cannot be NULL.
    private static let neverSeen: Int64 = 0

    /// The columns of ``stored``, in this order.
    static let columns = [
        "id", "vendor", "password", "type", "firmware", "layout", "properties", "interval", "fixed", "owned",
        "gateway", "thing", "made_thing", "making", "route", "state", "state_at", "made", "seen",
        "wish_thing", "wish_zone",
    ]

    /// The values of ``columns``.
    var stored: StatementArguments {
        let named: [(any DatabaseValueConvertible)?] = [
            "\(id)", vendor, password, type, firmware, layout?.rawValue, "\(properties)", interval?.rawValue,
            fixed.map(\.rawValue).sorted().joined(separator: " "), isOwned ? 1 : 0,
        ]
        let placed: [(any DatabaseValueConvertible)?] = [
            gateway.map { "\($0)" }, thing.map { "\($0)" }, isMade ? 1 : 0, isMaking ? 1 : 0,
            route.rawValue, state.map { "\($0)" }, stateAt, made, seen ?? Self.neverSeen,
            wish.thing, wish.zone,
        ]
        return StatementArguments(named + placed)
    }
}

extension FixedField {
    /// Reads the stored form, names with spaces between; `nil` if one of them is unknown.
    fileprivate static func stored(_ text: String) -> Set<FixedField>? {
        let words = text.split(separator: " ")
        let fields = words.compactMap { FixedField(rawValue: String($0)) }
        return fields.count == words.count ? Set(fields) : nil
    }
}
