import Accounts
import People
import Things

extension RuleService {
    /// Carries out a command from the broker, which the node logs.
    ///
    /// - Returns: The slug of the rule, if its sender may see it; and why it was not carried out.
    func carryOut(_ request: RulesSlice.Request) async -> (slug: String?, refusal: Refusal?) {
        let (rule, requester) = (request.command.rule, Requester.broker(request.caller))
        let slug = (try? visible(rule, requester))?.stored.slug
        do throws(Refusal) {
            switch request.command.work {
            case .turn(let isOn): try await turn(rule, isOn: isOn, by: requester)
            case .run: try await runNow(rule, by: requester)
            }
            return (slug, nil)
        } catch {
            return (slug, error)
        }
    }
}

extension RuleService.Requester {
    /// Somebody who sent a command over the broker.
    fileprivate static func broker(_ caller: Caller) -> RuleService.Requester {
        RuleService.Requester(identity: .user(caller), address: nil, interface: "mqtt", isLogged: false)
    }
}
