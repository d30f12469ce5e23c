import Accounts
import Bindings
import People
import Things

/// Who may make bindings, and how many: each of them is kept until somebody removes it.
///
/// - Source: contrib/contract/bindings.md, "Onboarding".
extension BindingService {
    /// Of one owner, while no thing of the place is linked to them.
    package static let mostOfOwner = 200
    /// Of nobody, without those that are only expected.
    package static let mostUnclaimed = 2000

    /// Requires that a user who has a new binding made may write anything at all.
    ///
    /// - Parameter plan: What is linked or made is judged by itself.
    func requireRight(toMake vendor: String, _ plan: LinkPlan, _ requester: Requester) throws(BindingsError) {
        guard case .wait = plan, case .door(.user(let caller)) = requester.identity,
            !accounts.table.mayDo(caller, .write, at: now)
        else { return }
        throw .refused(
            .notAllowed,
            "you may not write anything here, so thing \(vendor), which is not known yet, does not become yours"
        )
    }

    /// Requires that another binding without a thing of the place may be an owner's, or nobody's.
    ///
    /// - Parameter owner: `nil` if the thing itself is onboarded.
    func requireRoom(for owner: Grantee?, _ requester: Requester) throws(BindingsError) {
        // The command line, and who owns everything, may make as many as there is room for.
        guard !ownsEverything(requester) else { return }
        if let owner {
            guard directory.countWithoutThing(of: owner) >= Self.mostOfOwner else { return }
            throw .refused(
                .rateLimited,
                "\(Self.mostOfOwner) things of this owner wait for a place, and no more are possible; name a zone for"
                    + " them, or remove some"
            )
        }
        guard directory.unclaimed >= Self.mostUnclaimed else { return }
        throw .refused(
            .rateLimited,
            "\(Self.mostUnclaimed) things wait for an owner, and no more are possible; claim some, or remove them with"
                + " `trilateral thing forget`"
        )
    }
}
