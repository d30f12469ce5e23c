import Accounts
import Bindings
import People
import Text
import Things

/// What programs keep between their runs.
///
/// - Source: contrib/contract/bindings.md, "Instances".
extension BindingService {
    /// All instances, also those of another application.
    func instances() throws(BindingsError) -> [AppInstance] {
        try withBindingsErrors { () throws(AccountsError) in try accounts.store.instances() }
    }

    /// One that is of use here; `nil` if there is none.
    ///
    /// - Throws: For one of another application or site, or of a newer program.
    func instance(_ tag: String) throws(BindingsError) -> AppInstance? {
        let found = try withBindingsErrors { () throws(AccountsError) in try accounts.store.instance(tag) }
        if let problem = found.flatMap(problem) { throw .refused(.staleTarget, problem) }
        return found
    }

    /// Why an instance is of no use here; `nil` if it is of use.
    func problem(_ instance: AppInstance) -> String? {
        instance.problem(realm: settings.realm, site: settings.site)
    }

    private func newInstance(_ tag: String) -> AppInstance {
        AppInstance(tag, realm: settings.realm, site: settings.site)
    }

    /// An instance with which a thing can be onboarded; a new one if there is none.
    func freeInstance(_ tag: String) throws(BindingsError) -> AppInstance {
        do throws(Refusal) { try AppInstance.check(tag: tag) } catch { throw .refused(error) }
        let instance = try instance(tag) ?? newInstance(tag)
        // Any identifier: only whether it has a thing counts.
        _ = try instance.onboarded(BindingID(high: 0, low: 0), owner: nil).get()
        return instance
    }

    /// Keeps an installation in an instance, which need not be there.
    func keep(_ installation: Installation, in tag: String) throws(BindingsError) {
        do throws(Refusal) { try AppInstance.check(tag: tag) } catch { throw .refused(error) }
        var instance = try instance(tag) ?? newInstance(tag)
        instance.installation = installation.id
        instance.owner = instance.owner ?? .user(installation.owner)
        try save(instance)
    }

    /// Makes an instance like another one, with another thing.
    func copy(_ tag: String, to other: String, with thing: BindingID) throws(BindingsError) -> AppInstance {
        do throws(Refusal) { try AppInstance.check(tag: other) } catch { throw .refused(error) }
        guard let source = try instance(tag) else { throw Self.noInstance(tag) }
        if case .failure(let error) = source.onboardedThing { throw error }
        _ = try stored(thing)
        guard try instance(other)?.thing == nil else {
            throw .alreadyOnboarded("instance \(QuotedValue.of(other)) has a thing already; remove it first")
        }
        let made = AppInstance(
            other,
            realm: source.realm,
            site: source.site,
            owner: source.owner,
            thing: thing,
            installation: source.installation
        )
        try save(made)
        return made
    }

    func removeInstance(_ tag: String) throws(BindingsError) {
        let isRemoved = try withBindingsErrors { () throws(AccountsError) in
            try accounts.store.removeInstance(tag)
        }
        guard isRemoved else { throw Self.noInstance(tag) }
    }

    func removeInstances() throws(BindingsError) {
        try withBindingsErrors { () throws(AccountsError) in try accounts.store.removeInstances() }
    }

    static func noInstance(_ tag: String) -> BindingsError {
        let which = tag.isEmpty ? "without a tag" : QuotedValue.of(tag)
        return .refused(.unknownThing, "there is no instance \(which); `trilateral instance list` shows them")
    }

    private func save(_ instance: AppInstance) throws(BindingsError) {
        try withBindingsErrors { () throws(AccountsError) in try accounts.store.save(instance) }
    }
}
