import Bindings
package import Bridge
import JSON
import Messages
import Things

/// Things that speak on the broker themselves: the topic says who it is, and a gateway speaks for its end nodes.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge"; contrib/design/0091-things-with-owners.md, "The thing at
///   the edge".
extension BindingService {
    /// The binding that reports at an address, or why what it reports does not count.
    nonisolated func speaker(at address: EdgeAddress) -> Result<BindingDirectory.Entry, BindingsError> {
        if let refusal = refusal(of: address) { return .failure(.refused(refusal)) }
        guard let entry = directory.entry(ofVendor: address.vendor), entry.hasOnboarded else {
            return .failure(.notOnboarded("thing \(address.vendor) is not onboarded"))
        }
        edge.spoke(entry.id)
        return .success(entry)
    }

    /// The binding whose state is reported at an address, or why that does not count.
    ///
    /// A thing learns that its binding was forgotten also if it was claimed again before its next state: the first one
    /// is refused then, as if it had come in between.
    private nonisolated func reporter(
        at address: EdgeAddress
    ) -> Result<BindingDirectory.Entry, BindingsError> {
        let speaker = speaker(at: address)
        switch speaker {
        case .success:
            guard edge.wasForgotten(address.vendor) else { return speaker }
            return .failure(.notOnboarded("thing \(address.vendor) was forgotten; it must onboard again"))
        case .failure(.notOnboarded):
            _ = edge.wasForgotten(address.vendor)
            return speaker
        case .failure: return speaker
        }
    }

    /// Why nobody may speak for a thing at an address; `nil` for the right one, and for a thing that is not known.
    private nonisolated func refusal(of address: EdgeAddress) -> Refusal? {
        let entry = directory.entry(ofVendor: address.vendor)
        let gateway = entry?.gateway.flatMap { directory.entry($0)?.vendor }
        if let named = address.gateway {
            guard gateway != named else { return nil }
            return Refusal(.notAllowed, "\(address.vendor) is no end node of gateway \(named)")
        }
        guard let gateway else { return nil }
        return Refusal(
            .notAllowed,
            "\(address.vendor) is an end node; its gateway \(gateway) speaks for it, at its own topics"
        )
    }

    /// The topics of a binding.
    nonisolated func address(of entry: BindingDirectory.Entry) -> EdgeAddress {
        EdgeAddress(entry.vendor, gateway: entry.gateway.flatMap { directory.entry($0)?.vendor })
    }

    /// Where a thing finds the broker; `nil` if things do not speak there.
    nonisolated func endpoint(of binding: ThingBinding) -> OnboardingAnswer.Endpoint? {
        let gateway = binding.gateway.flatMap { directory.entry($0)?.vendor }
        return settings.edge?.endpoint(of: EdgeAddress(binding.vendor, gateway: gateway))
    }

    // MARK: What things report

    func onboard(
        _ request: OnboardingRequest,
        at address: EdgeAddress
    ) async -> Result<OnboardingAnswer, BindingsError> {
        if let error = onboardingRefusal(at: address) { return .failure(error) }
        do throws(BindingsError) {
            let answer = try await onboard(request, by: requester(at: address))
            _ = edge.wasForgotten(address.vendor)
            edge.spoke(answer.thing)
            await heard(answer.thing)
            return .success(answer)
        } catch {
            if directory.entry(ofVendor: address.vendor) == nil { await edge.saw(address.vendor) }
            return .failure(error)
        }
    }

    func status(_ status: EdgeStatus?, at address: EdgeAddress) async -> BindingsError? {
        switch speaker(at: address) {
        case .success(let entry):
            // What the broker says in its place is no sign of it.
            if status == .online { await heard(entry.id) }
        case .failure(.notOnboarded): break
        case .failure(let error): return error
        }
        await edge.says(status, address.vendor)
        return nil
    }

    func result(_ report: CommandReport, at address: EdgeAddress) async -> BindingsError? {
        switch speaker(at: address) {
        case .failure(let error): return error
        case .success(let entry):
            await heard(entry.id)
            return await results(report, of: entry.id)
        }
    }

    func state(
        _ upload: StateUpload,
        isRetained: Bool,
        at address: EdgeAddress
    ) async -> BindingsError? {
        // What the broker has kept is no message of now.
        switch isRetained ? speaker(at: address) : reporter(at: address) {
        case .failure(let error): error
        case .success(let entry): await self.report(upload, of: entry.id, isRetained: isRetained)
        }
    }

    /// Why a message on a topic is refused whatever it says; `nil` for a thing that is not known, on a topic of its own.
    nonisolated func refusal(on topic: EdgeTopic) -> BindingsError? {
        if topic.part == .onboard { return onboardingRefusal(at: topic.thing) }
        if let refusal = refusal(of: topic.thing) { return .refused(refusal) }
        guard topic.part == .state, let entry = directory.entry(ofVendor: topic.vendor),
            !records.states.mayReport(entry.id, at: now)
        else { return nil }
        return .tooManyStates(of: entry.vendor)
    }

    /// Why nobody may onboard a thing at an address; it is in the log then.
    private nonisolated func onboardingRefusal(at address: EdgeAddress) -> BindingsError? {
        guard let refusal = refusal(of: address) else { return nil }
        let error = BindingsError.refused(refusal)
        log(.onboard, by: requester(at: address), about: directory.entry(ofVendor: address.vendor), [], error)
        return error
    }

    private nonisolated func requester(at address: EdgeAddress) -> Requester {
        let topic = address.gateway.map { "\($0)/node/\(address.vendor)" } ?? address.vendor
        return Requester(identity: .edge(address.speaker), address: "edge/\(topic)")
    }

    func nodes(_ nodes: [EdgeNode], at address: EdgeAddress) async -> BindingsError? {
        switch speaker(at: address) {
        case .failure(let error): return error
        case .success(let entry):
            await heard(entry.id)
            await edge.sees(nodes, entry.vendor)
            return nil
        }
    }
}

extension BindingDirectory.Entry {
    /// Whether it, or an owner, has onboarded it: one that is only expected has not.
    fileprivate var hasOnboarded: Bool { isOwned || route == .edge }
}

extension EdgePorts {
    /// Hands over what things report to the service.
    package init(_ service: BindingService) {
        self.init(
            refusal: { service.refusal(on: $0) },
            onboard: { await service.onboard($1, at: $0) },
            state: { await service.state($1, isRetained: $2, at: $0) },
            result: { await service.result($1, at: $0) },
            status: { await service.status($1, at: $0) },
            nodes: { await service.nodes($1, at: $0) }
        )
    }
}
