fn half( {
