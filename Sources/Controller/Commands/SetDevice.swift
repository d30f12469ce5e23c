package import Flare
package import JSON
package import Things

/// Moves, turns or names this device; at least one field is set.
package struct SetDevice: CommandOperation {
    package var position: Point3D?
    /// Whether the position came without a height: the device's stays.
    package var keepsHeight = false
    /// Compass degrees, 0..<360.
    package var angle: Double?
    package var name: String?

    package init(
        position: Point3D? = nil,
        keepsHeight: Bool = false,
        angle: Double? = nil,
        name: String? = nil
    ) {
        (self.position, self.keepsHeight) = (position, keepsHeight)
        self.angle = angle
        self.name = name
    }

    package var permission: ChangeRequest.Kind? { nil }
    package var logName: String { "device" }
    package var logValues: JSONValue? {
        var values: JSONObject = [:]
        values["name"] = name.map { .string($0) }
        values["angle"] = angle.map { .number($0) }
        values["position"] = position?.json
        return .object(values)
    }
    package var summary: CommandSummary? { CommandSummary("set the device") }

    package func perform(
        _ command: inout PendingCommand,
        in controller: inout DeviceController
    ) throws(Refusal) {
        guard controller.configuration.allowsDeviceSet else {
            throw Refusal(
                .notAllowed,
                "setting this device is switched off; allow it with device.allow_set: true"
            )
        }
        try controller.needLink()
        guard let device = controller.state.device, let environment = controller.state.environmentID else {
            throw Refusal(.serverUnreachable, "this device is not known to the server yet")
        }
        command.target = .init(kind: "device", slug: "\(device.id)")
        let object = ObjectReference(.device, device.id)
        try controller.check(command.command, position == nil ? .edit : .move, on: object)
        var works: [Job.Work] = []
        if let name {
            works.append(.name(name, environment: environment))
            command.accepted["name"] = .string(name)
        }
        if let angle {
            works.append(.write(ThingPatch(values: ["angle": .number(angle)]), transition: nil))
            command.accepted["angle"] = .number(angle)
        }
        if var position {
            if keepsHeight, let height = device.position?.z { position.z = height }
            works.append(.position(position))
            command.accepted["position"] = position.json
        }
        guard !works.isEmpty else { return controller.accept(command) }
        var job = Job(work: works.removeFirst(), command: command, cause: command.command.cause)
        job.rest = works
        controller.enqueue(job, on: object)
    }
}

extension CommandDescriptor {
    /// `{"position":{"x","y","z"?},"angle","name"}`, at least one of them.
    package static let deviceSet = CommandDescriptor("device/set") { _, payload throws(Refusal) in
        var fields = try payload.membersOnly()
        var change = SetDevice()
        let place = try fields.position("position")
        (change.position, change.keepsHeight) = (place?.point, place?.hasHeight == false)
        if let degrees = try fields.number("angle", in: 0...360, unit: " degrees") {
            change.angle = degrees == 360 ? 0 : degrees
        }
        change.name = try fields.name("name")
        try fields.finish()
        guard change != SetDevice() else {
            throw Refusal(.invalidValue, "nothing to set was given; this device has position, angle and name")
        }
        return change
    }
}
