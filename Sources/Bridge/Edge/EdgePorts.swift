package import Bindings
package import MQTT
package import Messages

/// Who handles what things at the edge report.
///
/// Each but `refusal` is called for one message after the other, in order of arrival; `onboard` apart from the others,
/// because it takes long. An error is answered to the thing.
package struct EdgePorts: Sendable {
    /// Why a message on a topic is refused whatever it says; `nil` if it is to be read.
    ///
    /// Nobody may speak there for this thing, or it may report no further state just now. Of a thing that is not known
    /// everything on its own topics is read. Called on the loop for each message, so it must not wait.
    package var refusal: @Sendable (EdgeTopic) -> BindingsError?
    package var onboard:
        @Sendable (EdgeAddress, OnboardingRequest) async -> Result<OnboardingAnswer, BindingsError>
    /// With whether the broker had kept the state: it is no sample then.
    package var state: @Sendable (EdgeAddress, StateUpload, _ isRetained: Bool) async -> BindingsError?
    package var result: @Sendable (EdgeAddress, CommandReport) async -> BindingsError?
    /// With `nil` when the broker keeps no status any more.
    package var status: @Sendable (EdgeAddress, EdgeStatus?) async -> BindingsError?
    /// With what the gateway sees.
    package var nodes: @Sendable (EdgeAddress, [EdgeNode]) async -> BindingsError?

    package init(
        refusal: @escaping @Sendable (EdgeTopic) -> BindingsError? = { _ in nil },
        onboard:
            @escaping @Sendable (EdgeAddress, OnboardingRequest) async -> Result<
                OnboardingAnswer, BindingsError
            >,
        state: @escaping @Sendable (EdgeAddress, StateUpload, _ isRetained: Bool) async -> BindingsError?,
        result: @escaping @Sendable (EdgeAddress, CommandReport) async -> BindingsError?,
        status: @escaping @Sendable (EdgeAddress, EdgeStatus?) async -> BindingsError?,
        nodes: @escaping @Sendable (EdgeAddress, [EdgeNode]) async -> BindingsError?
    ) {
        (self.refusal, self.onboard, self.state) = (refusal, onboard, state)
        (self.result, self.status, self.nodes) = (result, status, nodes)
    }
}

/// How messages for things at the edge reach the broker.
package struct EdgeLink: Sendable {
    package var publish: @Sendable (MQTTMessage) -> MQTTReceipt

    package init(publish: @escaping @Sendable (MQTTMessage) -> MQTTReceipt) { self.publish = publish }

    package init(_ client: MQTTClient) { self.init { client.publishWithReceipt($0) } }
}
