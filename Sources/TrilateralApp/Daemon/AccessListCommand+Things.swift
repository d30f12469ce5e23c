import Accounts
import Daemon
import Foundation
import Messages
import People

/// `trilateral acl --things`: what each thing at the edge may do, from the databases.
extension AccessListCommand {
    /// The text, of things as they are now.
    ///
    /// - Throws: ``VerbError``.
    func thingsText(_ list: AccessList, in location: StateLocation) throws -> String {
        try location.requireDatabase(makers: "trilateral run makes it")
        let folder = try location.open()
        do {
            let store = try StateStore(folder: folder.url)
            defer { store.close() }
            let (bindings, table) = try store.withAccounts { (try $0.bindings(), try $0.table()) }
            let things = AccessThing.all(of: bindings.map(\.binding))
            return list.thingsText(things, others: AccessList.names(of: table))
        } catch {
            throw VerbError.ending(by: error)
        }
    }
}
