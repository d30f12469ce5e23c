import Accounts
import Bindings
import Foundation
import GRDB
import People

/// Bindings of the things of ``BenchmarkPlace``, as the driver's `bindings.c` expects them.
///
/// Every second thing is at the edge and has a history. The first ten of the others are carried out by the Flare server.
/// All belong to the owner by a grant each.
struct BenchmarkBindings {
    /// Things of the place.
    let things: Int

    private static let commanded = 10
    private static let interval = GroupInterval.minute

    /// By the number of their things, from 1, as slugs have it.
    private func bindings(at now: Int64) -> [ThingBinding] {
        let password = "\(PasswordHash.ofNobody(.thing))"
        let edge = stride(from: 2, through: things, by: 2).map { ($0, ThingBinding.Route.edge) }
        let flare = (0..<Self.commanded).map { (2 * $0 + 1, ThingBinding.Route.flare) }
        return (edge + flare).map { number, route in
            let id = BindingID(high: 0x4265_6E63, low: UInt64(number))
            var binding = ThingBinding(id, vendor: "v-\(number)", password: password, made: now)
            binding.thing = BenchmarkPlace.thing(number - 1)
            binding.route = route
            binding.interval = route == .edge ? Self.interval : nil
            binding.fixed = Set(FixedField.allCases)
            binding.isOwned = true
            return binding
        }
    }

    /// Adds them to the database of a daemon that does not run, and has run before.
    func fill(_ file: String) throws {
        let queue = try DatabaseQueue(path: file)
        let store = AccountsStore(queue)
        guard let owner = try store.table().user(named: "owner") else { throw AccountsError.unknown("owner") }
        let bindings = bindings(at: Int64(Date().timeIntervalSince1970 * 1000))
        for binding in bindings { try store.saveBinding(binding) }
        try queue.write { database in
            for thing in bindings.compactMap(\.thing) {
                try database.execute(
                    sql: "INSERT INTO permission (grantee, scope, access, share) VALUES (?, ?, ?, 0)",
                    arguments: ["\(Grantee.user(owner.id))", "\(Scope.thing(thing))", Access.own.rawValue]
                )
            }
        }
    }
}
