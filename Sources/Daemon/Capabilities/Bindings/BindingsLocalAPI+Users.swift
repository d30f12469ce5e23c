import Accounts
import Bindings
package import HTTPListener
package import People
import Text
import Things
import Web

/// What users do with bindings on the page: the same requests, judged by their rights.
///
/// - Source: contrib/contract/bindings.md, "For users".
extension BindingsLocalAPI {
    /// Answers a request of a user about bindings.
    ///
    /// - Parameters:
    ///   - caller: Who has signed in, or brings a token.
    ///   - address: Of the other end.
    package func answer(_ request: LocalRequest, by caller: Caller, from address: String?) async
        -> LocalResponse
    {
        guard request.path.starts(with: ["api", "bindings"]) else { return .nothing(request) }
        let requester = BindingService.Requester(
            identity: .door(.user(caller)),
            address: address,
            interfaceName: WebHub.interface
        )
        do throws(BindingsError) {
            return try await bindings(request, Array(request.path.dropFirst(2)), by: requester)
        } catch {
            return LocalResponse(error)
        }
    }

    /// A binding that who asks owns.
    ///
    /// Who does not own everything does not learn what else there is.
    ///
    /// - Parameter act: For the log, if it is to be changed.
    func entry(
        _ name: String,
        for requester: BindingService.Requester,
        to act: BindingService.Act? = nil
    ) async throws(BindingsError) -> BindingDirectory.Entry {
        guard !ownsEverything(requester) else { return try entry(name) }
        let found = service.directory.entry(named: name)
        if let found, await owns(found, requester) { return found }
        let error = BindingsError.refused(.notAllowed, "you own no thing \(QuotedValue.of(name))")
        if let act { service.log(act, by: requester, about: found, [], error) }
        throw error
    }

    /// Those of some bindings that who asks owns.
    func owned(_ bindings: [StoredBinding], by requester: BindingService.Requester) async -> [StoredBinding] {
        guard !ownsEverything(requester) else { return bindings }
        guard let user = requester.user else { return [] }
        let table = service.accounts.table
        let ownsThings = table.grants.contains { $0.access == .own && table.includes(user, in: $0.grantee) }
        var owned: [StoredBinding] = []
        for binding in bindings where ownsThings || binding.binding.thing == nil {
            if await owns(BindingDirectory.Entry(binding), requester) { owned.append(binding) }
        }
        return owned
    }

    /// Refuses who does not own everything.
    func requireEverything(
        _ requester: BindingService.Requester,
        to act: BindingService.Act
    ) throws(BindingsError) {
        guard !ownsEverything(requester) else { return }
        let error = BindingsError.refused(.notAllowed, "only who has 'own all' expects things")
        service.log(act, by: requester, about: nil, [], error)
        throw error
    }

    /// Whether who asks may do everything with every binding.
    func ownsEverything(_ requester: BindingService.Requester) -> Bool { service.ownsEverything(requester) }

    private func owns(_ entry: BindingDirectory.Entry, _ requester: BindingService.Requester) async -> Bool {
        guard case .door(let caller) = requester.identity else { return ownsEverything(requester) }
        let access = await service.access(entry)
        return service.accounts.table.verdict(of: caller, .own, on: access, at: service.now).isGranted
    }
}
