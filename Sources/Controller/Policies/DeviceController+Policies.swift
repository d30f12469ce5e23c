import Flare
package import Things

extension DeviceController {
    /// Checks a request against the policies, in order.
    /// - Returns: The first refusal; `nil` if all policies allow the request.
    package func refusal(of request: ChangeRequest) -> Refusal? {
        for policy in policies {
            if case .refuse(let refusal) = policy.decide(request, in: state) { return refusal }
        }
        return nil
    }

    /// Checks a command against the policies.
    func refusal(
        of command: Command,
        _ kind: ChangeRequest.Kind,
        on object: ObjectReference? = nil,
        in zone: FlareID? = nil
    ) -> Refusal? {
        guard !policies.isEmpty else { return nil }
        return refusal(of: ChangeRequest(speaker: command.speaker, kind: kind, object: object, zone: zone))
    }
}
