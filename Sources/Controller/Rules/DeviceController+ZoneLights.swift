import Flare
import People
import Things

/// Commands for all lights of a zone: a ``ZoneLightPlanner`` finds out what each of them gets.
extension DeviceController {
    mutating func setLights(
        of name: String,
        _ request: ThingRequest,
        _ whole: inout PendingCommand
    ) throws(Refusal) {
        let command = whole.command
        let contents = state.contents
        let zone = try state.zone(named: name, in: contents, for: command, at: now)
        whole.target = answerTarget(ObjectReference(.zone, zone.id))
        let planner = ZoneLightPlanner(
            command: command,
            request: request,
            zone: zone,
            state: state,
            policies: policies,
            now: now,
            expected: { [self] in expected($0) }
        )
        let plan = try planner.plan()
        try needLink()
        if let refusal = plan.refusal { throw refusal }
        (whole.accepted, whole.rejected) = (plan.accepted, plan.rejected)
        if request.transition ?? 0 > 0, plan.jobs.contains(where: { state.routes[$0.light.id] != nil }) {
            whole.warnings.append(.transitionAtEdge)
        }
        guard !plan.jobs.isEmpty else { return accept(whole) }
        let number = pending.append(JointCommand(pending: whole, left: plan.jobs.count))
        for (light, setting) in plan.jobs {
            var part = PendingCommand(command: command, subject: .set, target: nil)
            part.joint = number
            enqueue(
                Job(
                    work: .write(setting.patch, transition: setting.transition),
                    command: part,
                    cause: command.cause
                ),
                on: ObjectReference(.thing, light.id)
            )
        }
    }

    /// Records the end of one part of a joint command; answers the command after the last part.
    mutating func ended(_ number: Int, _ refusal: Refusal?) {
        guard let command = pending.partEnded(number, refusal) else { return }
        if let refusal = command.refusal { refuse(command.pending, refusal) } else { accept(command.pending) }
    }
}
